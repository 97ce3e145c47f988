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
    Files.names(in: "\(folder)/\(path)", suffix: suffix)
  }

  /// The content of a file.
  public static func bytes(of path: String) throws -> [UInt8] {
    try Files.bytes(of: "\(folder)/\(path)")
  }
}
