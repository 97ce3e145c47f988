import Glibc

/// Access to whole files and folders.
public enum Files {
  /// The names in a folder, sorted; empty if there is no such folder.
  ///
  /// - Parameter isWhole: whether names that begin with a point count.
  public static func names(
    in folder: String, suffix: String = "", isWhole: Bool = false
  ) -> [String] {
    guard let directory = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      let isShown = isWhole ? name != "." && name != ".." : !name.hasPrefix(".")
      if isShown, name.hasSuffix(suffix) { names.append(name) }
    }
    return names.sorted()
  }

  /// The content of a file.
  public static func bytes(of path: String) throws -> [UInt8] {
    guard let file = unsafe fopen(path, "rb") else { throw Missing(path: path) }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
    }
  }

  /// The permissions of a file, such as 0o644; nil if it is absent.
  public static func mode(of path: String) -> UInt32? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  struct Missing: Error { let path: String }
}
