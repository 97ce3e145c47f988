import Glibc

@testable import POIToolSupport

struct Child {
  /// The exit status; nil if a signal ended it.
  let status: Int32?

  /// Runs `/usr/bin/env` with arguments and standard output to a scratch file; nil if it cannot be
  /// started.
  static func run(_ arguments: [String], output: ScratchFile) -> Child? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for target: Int32 in [1, 2] {
      unsafe posix_spawn_file_actions_adddup2(&actions, output.descriptor.number, target)
    }
    let words = ["env"] + arguments
    var pointers = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    var process: pid_t = 0
    let result = unsafe posix_spawn(&process, "/usr/bin/env", &actions, nil, &pointers, environ)
    guard result == 0 else { return nil }
    var waitStatus: Int32 = 0
    while unsafe waitpid(process, &waitStatus, 0) == -1, errno == EINTR {}
    return Child(status: waitStatus & 0x7f == 0 ? waitStatus >> 8 & 0xff : nil)
  }

  static func isInstalled(_ program: String) -> Bool {
    run(["sh", "-c", "command -v \(program)"], output: ScratchFile())?.status == 0
  }
}
