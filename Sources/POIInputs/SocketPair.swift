internal import Glibc
internal import JSONStreaming

/// Two connected stream sockets: one that we keep and one that a child process gets.
///
/// Unlike a pipe it is born closed to other programs that another thread starts, and can be written
/// without a signal when nobody reads.
struct SocketPair: ~Copyable {
  let ours: Descriptor
  let childs: Descriptor

  private init(ours: consuming Descriptor, childs: consuming Descriptor) {
    self.ours = ours
    self.childs = childs
  }

  /// Makes a pair: `socketpair(2)`.
  static func make() throws(SystemError) -> SocketPair {
    var numbers: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &numbers) == 0 else { throw .last }
    let ours: Descriptor
    do throws(SystemError) {
      ours = try Descriptor(owning: numbers[0])
    } catch {
      close(numbers[1])
      throw error
    }
    return SocketPair(ours: ours, childs: try Descriptor(owning: numbers[1]))
  }
}
