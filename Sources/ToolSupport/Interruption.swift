internal import Glibc
internal import Synchronization

/// The user's wish that the tool stop, given by SIGINT or SIGTERM.
///
/// The first signal sets a flag, which the tool looks at where it can stop cleanly; a second one
/// ends the process at once.
public enum Interruption {
  /// Whether a signal has come.
  public static var isRequested: Bool { flag.load(ordering: .relaxed) }

  /// Handles SIGINT and SIGTERM from now on, SIGINT not if it is ignored, as it is for a shell's
  /// background jobs.
  ///
  /// A signal ends system calls that wait, so a reader of a slow pipe can look at the flag.
  ///
  /// - SeeAlso: `sigaction(2)`, `signal-safety(7)`
  static func install() {
    // Also makes sure that the flag exists before a handler needs it.
    flag.store(false, ordering: .relaxed)
    let handler: @convention(c) (Int32) -> Void = { _ in
      if flag.exchange(true, ordering: .relaxed) { _exit(130) }
    }
    for signal in [SIGINT, SIGTERM] where !isIgnored(signal) {
      setHandler(handler, for: signal)
    }
  }

  /// Makes writing to a pipe that nobody reads fail with `EPIPE`, and beyond the limit of a file's size
  /// with `EFBIG`, instead of ending the process.
  ///
  /// A handler that does nothing, unlike ignoring the signal, is not inherited by programs that the
  /// tool starts.
  static func catchFailedWrites() {
    for signal in [SIGPIPE, SIGXFSZ] { setHandler({ _ in }, for: signal) }
  }

  private static func setHandler(
    _ handler: @escaping @convention(c) (Int32) -> Void, for signal: Int32
  ) {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = handler
    let result = unsafe sigaction(signal, &action, nil)
    precondition(result == 0, "a handler can be set for signal \(signal)")
  }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    let result = unsafe sigaction(signal, nil, &action)
    return unsafe result == 0
      && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

/// Set by the handler, so that it must be an atomic that needs no lock.
private let flag = Atomic<Bool>(false)
