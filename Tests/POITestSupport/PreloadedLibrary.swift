import Foundation

/// A C library of Tests/Preloaded, which the system's loader loads into a tool before all others.
public enum PreloadedLibrary {
  /// The path of the library `name`. It is compiled beside the test runner if it is missing or older than
  /// its source.
  public static func path(_ name: String) -> String {
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../Preloaded/\(name).c").standardized.path
    let library = Tool("lib\(name).so").path
    if let made = changeDate(of: library), let changed = changeDate(of: source), made > changed {
      return library
    }
    let unfinished = "\(library).\(UUID().uuidString)"
    let clang = Process()
    clang.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    clang.arguments = ["clang", "-shared", "-fPIC", "-O1", source, "-o", unfinished]
    do {
      try clang.run()
      clang.waitUntilExit()
      // Another test process may be doing the same.
      guard unsafe rename(unfinished, library) == 0 else { throw CocoaError(.fileWriteUnknown) }
    } catch {
      fatalError("\(source) cannot be compiled: \(error)")
    }
    return library
  }

  private static func changeDate(of path: String) -> Date? {
    (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
  }
}
