internal import POIPlatform
internal import Synchronization

/// Handling of SIGINT and SIGTERM, with which the user stops the tool.
///
/// The first signal sets a flag, which the tool checks where it can stop cleanly; a second one ends the
/// process at once.
public enum Interruption {
  /// Whether a signal has come.
  public static var isRequested: Bool { flag.load(ordering: .relaxed) }

  /// Installs the handlers. SIGINT stays ignored if it is, as in a shell's background jobs.
  ///
  /// A signal interrupts waiting system calls, so a reader of a slow pipe can check the flag.
  ///
  /// - SeeAlso: `sigaction(2)`, `signal-safety(7)`
  static func install() {
    // Also initialises the flag before a handler needs it.
    flag.store(false, ordering: .relaxed)
    let handler: @convention(c) (Int32) -> Void = { _ in
      if flag.exchange(true, ordering: .relaxed) { _exit(130) }
    }
    for signal in [SIGINT, SIGTERM] where !SignalHandler.isIgnored(signal) {
      SignalHandler.set(handler, for: signal)
    }
  }

  /// Makes a write fail instead of ending the process: with `EPIPE` on a pipe without a reader, and
  /// with `EFBIG` beyond the file size limit.
  ///
  /// Child processes do not inherit an empty handler, unlike an ignored signal.
  static func catchFailedWrites() {
    for signal in [SIGPIPE, SIGXFSZ] { SignalHandler.set({ _ in }, for: signal) }
  }
}

/// Set by the handler, so it must be a lock-free atomic.
private let flag = Atomic<Bool>(false)
