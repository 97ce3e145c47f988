// What differs between operating systems in how a tool meets its terminal.

internal import Glibc

/// What happens when a signal comes: `sigaction(2)`.
enum SignalHandler {
  static func set(_ handler: @escaping @convention(c) (Int32) -> Void, for signal: Int32) {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = handler
    let result = unsafe sigaction(signal, &action, nil)
    precondition(result == 0, "a handler can be set for signal \(signal)")
  }

  static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    let result = unsafe sigaction(signal, nil, &action)
    return unsafe result == 0
      && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

extension OutputDescriptor {
  /// The columns of the terminal; nil if it is not a terminal.
  ///
  /// - SeeAlso: `ioctl_tty(2)`
  var terminalWidth: Int? {
    var size = winsize()
    guard unsafe ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
