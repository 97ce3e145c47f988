import Glibc

/// Third-party files that tests read if they are present; the package does not ship them.
public enum RealData {
  /// Their folder, beside the package.
  public static let folder: String = {
    let parts = #filePath.split(separator: "/").dropLast(4)
    return "/" + parts.joined(separator: "/") + "/shared/data"
  }()

  /// Whether a file or folder exists.
  public static func has(_ path: String) -> Bool { unsafe access("\(folder)/\(path)", R_OK) == 0 }

  /// The names in a folder, sorted; empty if there is no such folder.
  public static func names(in path: String, suffix: String) -> [String] {
    Files.names(in: "\(folder)/\(path)", suffix: suffix)
  }

  /// The content of a file.
  public static func bytes(of path: String) throws -> [UInt8] {
    try Files.bytes(of: "\(folder)/\(path)")
  }
}
