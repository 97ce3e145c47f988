internal import Glibc
internal import JSONStreaming

/// Two connected stream sockets: the parent's and the child's.
///
/// Unlike a pipe, it is closed on exec from the start, also if another thread starts a program, and
/// writing without a reader raises no signal.
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
