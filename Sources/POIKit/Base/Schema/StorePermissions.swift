internal import POIPlatform

/// The permissions of files that hold the content of a store.
package enum StorePermissions {
  /// The permission bits for a new file beside the store at `path`: the bits of the store, or only
  /// the owner's if there is no store. The umask is applied when the file is created.
  package static func forFile(besideStoreAt path: String?) -> UInt32 {
    var status = stat()
    guard let path, unsafe stat(path, &status) == 0 else { return 0o600 }
    return status.st_mode & 0o666
  }
}
