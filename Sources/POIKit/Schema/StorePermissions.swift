internal import Glibc

/// The permissions of files that hold what a store holds.
enum StorePermissions {
  /// The permission bits for a new file beside the store at `path`: those of the store; where there
  /// is none, the owner's alone. The process's umask is taken off when the file is made.
  static func forFile(besideStoreAt path: String?) -> mode_t {
    var status = stat()
    guard let path, unsafe stat(path, &status) == 0 else { return 0o600 }
    return status.st_mode & 0o666
  }
}
