import Glibc

/// Files of others that tests read where they are present; the package does not ship them.
public enum RealData {
  /// The folder that holds them, beside the package.
  public static let folder: String = {
    let parts = #filePath.split(separator: "/").dropLast(4)
    return "/" + parts.joined(separator: "/") + "/shared/data"
  }()

  /// Whether a file or folder is there.
  public static func has(_ path: String) -> Bool { unsafe access("\(folder)/\(path)", R_OK) == 0 }

  /// The names in a folder, sorted; none if it is absent.
  public static func names(in path: String, suffix: String) -> [String] {
    guard let directory = unsafe opendir("\(folder)/\(path)") else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name.hasSuffix(suffix) { names.append(name) }
    }
    return names.sorted()
  }

  /// The content of a file.
  public static func bytes(of path: String) throws -> [UInt8] {
    guard let file = unsafe fopen("\(folder)/\(path)", "rb") else { throw Missing(path: path) }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
    }
  }

  struct Missing: Error { let path: String }
}
