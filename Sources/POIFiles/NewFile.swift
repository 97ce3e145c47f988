package import JSONStreaming
internal import POIPlatform

/// A file that appears at its path when it is complete, and not before.
///
/// Until then it is `.NAME.partial-` and a number, in the same folder, and it is locked. If a process is killed, its
/// file stays; the next one that writes to the path removes it, because its lock is free.
package struct NewFile: ~Copyable {
  /// The path until the file is complete.
  package let partialPath: String

  /// The open file.
  package let descriptor: Descriptor

  private let path: String
  private let mode: UInt32
  private let replaces: Bool
  private var isComplete = false

  /// Creates the file, and removes what killed processes left of earlier ones.
  ///
  /// - Parameters:
  ///   - path: the path that it gets. A link stays one if it leads to a file: that file is replaced.
  ///   - mode: the permission bits; the umask is applied.
  ///   - replaces: whether it replaces a file.
  /// - Throws: the system's error; EEXIST if something is there that it does not replace.
  package init(_ path: String, mode: UInt32, replaces: Bool) throws(SystemError) {
    let path = replaces ? NewFile.resolved(path) : path
    var status = stat()
    guard unsafe replaces || lstat(path, &status) != 0 else { throw SystemError(number: EEXIST) }
    let prefix = NewFile.partialPrefix(of: path)
    NewFile.removeLeftovers(prefix)
    var partialPath = ""
    var descriptor = Descriptor.none
    repeat {
      // The owner has to write it, whatever the mode is.
      descriptor = try NewFile.create(prefix, mode: mode | 0o600, &partialPath)
      // Before it was locked, another process may have removed it as a leftover.
    } while !descriptor.lock() || (try? descriptor.status().st_nlink) == 0
    self.descriptor = descriptor
    self.partialPath = partialPath
    self.path = path
    self.mode = mode
    self.replaces = replaces
  }

  deinit {
    if !isComplete { NewFile.remove(partialPath) }
  }

  /// Makes the file appear at its path, and waits until it is on the disk.
  ///
  /// - Throws: the system's error; EEXIST if something is there that it does not replace.
  package mutating func complete() throws(SystemError) {
    let status = try descriptor.status()
    if mode & 0o600 != 0o600 { fchmod(descriptor.number, status.st_mode & mode) }
    try descriptor.sync()
    // A link, unlike renaming, replaces no file that appeared meanwhile.
    if !replaces, unsafe link(partialPath, path) == 0 {
      unsafe unlink(partialPath)
    } else {
      guard replaces || canRename(after: errno) else { throw .last }
      guard unsafe rename(partialPath, path) == 0 else { throw .last }
    }
    isComplete = true
    try NewFile.syncFolder(ofFileAt: path)
  }

  /// Whether a link failed because the file system has none, and nothing is at the path.
  private func canRename(after number: Int32) -> Bool {
    var status = stat()
    let isFree = unsafe lstat(path, &status) != 0
    errno = number
    return isFree && [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(number)
  }

  /// Waits until the name of a file is on the disk. A folder that is not readable cannot be synced.
  package static func syncFolder(ofFileAt path: String) throws(SystemError) {
    guard let folder = try? Descriptor(opening: folder(of: path), flags: O_RDONLY | O_DIRECTORY)
    else { return }
    do throws(SystemError) { try folder.sync() } catch {
      guard error.number == EINVAL else { throw error }
    }
  }

  /// The folder of a path, with its last slash.
  package static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
  }

  /// The path without links, if the file exists.
  package static func resolved(_ path: String) -> String {
    guard let whole = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(whole) }
    return unsafe String(cString: whole)
  }

  /// A file without a name in `folder`, which the system deletes when it is closed.
  package static func unnamed(in folder: String) throws(SystemError) -> Descriptor {
    var path = ""
    let file = try create("\(folder)/poikit-", mode: 0o600, &path)
    unsafe unlink(path)
    return file
  }

  /// Creates a file whose name is `prefix` and a number that no other has, and sets `path` to it.
  private static func create(
    _ prefix: String, mode: UInt32, _ path: inout String
  ) throws(SystemError) -> Descriptor {
    while true {
      path = prefix + text(of: UInt32.random(in: 0...UInt32.max))
      do throws(SystemError) {
        return try Descriptor(
          opening: path, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
      } catch {
        guard error.number == EEXIST else { throw error }
      }
    }
  }

  // MARK: Partial files

  /// The longest part of a name in the name of the partial file, in bytes.
  private static let nameLimit = 100

  private static func partialPrefix(of path: String) -> String {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    var name = path[folder.endIndex...]
    while name.utf8.count > nameLimit { name.unicodeScalars.removeLast() }
    return "\(folder).\(name).partial-"
  }

  private static func text(of number: UInt32) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 8 - digits.utf8.count) + digits
  }

  /// Removes the partial files that no process has locked.
  private static func removeLeftovers(_ prefix: String) {
    let folder = folder(of: prefix)
    guard let entries = unsafe opendir(folder) else { return }
    defer { unsafe closedir(entries) }
    while let entry = unsafe readdir(entries) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          unsafe String(cString: $0)
        }
      }
      let path = prefix.contains("/") ? folder + name : name
      let number = path.dropFirst(prefix.count)
      guard path.hasPrefix(prefix), number.utf8.count == 8, UInt32(number, radix: 16) != nil,
        let file = try? Descriptor(opening: path, flags: O_RDWR | O_NOFOLLOW | O_NONBLOCK)
      else { continue }
      if file.isRegularFile, flock(file.number, LOCK_EX | LOCK_NB) == 0 { remove(path) }
    }
  }

  /// Removes a partial file, and the journal of a database.
  private static func remove(_ partialPath: String) {
    for end in ["-journal", ""] { unsafe unlink(partialPath + end) }
  }
}
