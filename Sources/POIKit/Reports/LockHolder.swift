internal import Glibc
internal import JSONStreaming
internal import POIInputs

/// A process that holds a lock on a database which another one waits for.
struct LockHolder {
  /// The number of the process.
  let process: Int

  /// What the system calls its program; nothing where it does not say.
  let program: String?

  /// The process, other than this one, that keeps others from writing to the database at `path`.
  ///
  /// The file is not opened for it: to close it again would drop this process's own locks. Nothing is
  /// found where the holder has gone, is in another container or on another machine.
  ///
  /// Page: `proc_locks(5)`; https://sqlite.org/walformat.html for the places of the locks
  static func find(of path: String) -> LockHolder? {
    find(of: path, in: text(of: "/proc/locks"))
  }

  /// The same, of locks as the system lists them.
  static func find(of path: String, in locks: String) -> LockHolder? {
    // A writer locks one byte of the index of the write-ahead log; without a log, bytes far behind the
    // first gigabyte of the file.
    let places = [(path + "-shm", 120, 120), (path, 1 << 30, (1 << 30) + 511)]
    for (file, first, last) in places {
      var status = stat()
      guard unsafe stat(file, &status) == 0 else { continue }
      for line in locks.split(separator: "\n") {
        let words = line.split(separator: " ")
        guard words.count >= 8, words[1] == "POSIX", words[3] == "WRITE",
          let process = Int(words[4]), process > 0, process != getpid(),
          words[5].split(separator: ":").last.flatMap({ UInt($0) }) == status.st_ino,
          let start = Int(words[6]), start <= last, Int(words[7]) ?? .max >= first,
          mayHold(status, process)
        else { continue }
        let name = text(of: "/proc/\(process)/comm").split(separator: "\n").first
        return LockHolder(process: process, program: name.map(String.init))
      }
    }
    return nil
  }

  /// Whether a process has a file open, or does not let this one see what it has.
  ///
  /// Files of other file systems may have the same number, and what is listed as the device of a lock
  /// is not always that of its file.
  private static func mayHold(_ file: stat, _ process: Int) -> Bool {
    do throws(SystemError) {
      return try !OpenDatabase.descriptors(of: file, inProcess: "\(process)").isEmpty
    } catch {
      return true
    }
  }

  /// What a file of the system's holds; nothing where it cannot be read.
  private static func text(of path: String) -> String {
    guard let file = try? Descriptor(opening: path) else { return "" }
    var text: [UInt8] = []
    var piece: [UInt8] = []
    repeat {
      guard (try? file.read(replacing: &piece, maximum: 1 << 16)) != nil else { return "" }
      text += piece
    } while !piece.isEmpty
    return String(decoding: text, as: UTF8.self)
  }
}

extension LockHolder: CustomStringConvertible {
  /// `poi-import (process 4711)`
  var description: String { "\(program ?? "a program") (process \(process))" }
}
