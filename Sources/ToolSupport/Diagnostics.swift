internal import Glibc
internal import Synchronization

/// A tool's messages and its progress line on standard error.
///
/// Every message is one line, `name: error: …`, made printable. A progress line is taken away
/// before a message and drawn again after it. Any thread may report; a standard error that is
/// closed or full is no failure.
public final class Diagnostics: Sendable {
  /// How messages are shown.
  struct Style: Sendable, Equatable {
    /// Whether notes and the progress line are left out.
    var isQuiet = false
    var usesColor = false
    var showsProgress = false
  }

  private let name: String
  private let descriptor: OutputDescriptor
  private let style: Style
  private let progressLine: Mutex<ProgressLine>

  init(
    name: String, descriptor: OutputDescriptor, style: Style,
    clock: @escaping @Sendable () -> Duration
  ) {
    self.name = name
    self.descriptor = descriptor
    self.style = style
    progressLine = Mutex(ProgressLine(clock: clock))
  }
}

extension Diagnostics {
  /// Reports why the tool does not do what it was asked for.
  public func error(_ message: String) {
    report("error", color: "31", message)
  }

  /// Reports what the user should look at though the tool goes on.
  public func warning(_ message: String) {
    report("warning", color: "35", message)
  }

  /// Reports what may help; `--quiet` leaves it out.
  public func note(_ message: String) {
    if !style.isQuiet { report("note", color: "36", message) }
  }

  /// Draws the progress line anew if it is shown and due. It is meant to be called often: per batch
  /// or read.
  ///
  /// - Parameter progress: evaluated only where the line is shown, since to make it allocates.
  public func progress(_ progress: @autoclosure () -> Progress) {
    guard style.showsProgress, !style.isQuiet else { return }
    let progress = progress()
    progressLine.withLock { line in
      if let text = line.update(progress, width: { descriptor.terminalWidth ?? 80 }) { write(text) }
    }
  }

  /// Takes the progress line away, as before something else is written to the terminal.
  public func clearProgress() {
    progressLine.withLock { line in
      if let text = line.clear() { write(text) }
    }
  }

  private func report(_ kind: String, color: String, _ message: String) {
    let head =
      style.usesColor
      ? "\u{1b}[1m\(name):\u{1b}[0m \u{1b}[1;\(color)m\(kind):\u{1b}[0m "
      : "\(name): \(kind): "
    progressLine.withLock { line in
      write((line.clear() ?? "") + head + printable(message) + "\n")
    }
  }

  /// Writes in one call where the system allows that. There is nobody left to tell of a failure.
  private func write(_ text: String) {
    try? descriptor.write(Array(text.utf8).span)
  }
}

extension Diagnostics.Style {
  /// The style for a descriptor.
  ///
  /// - Parameter environment: `NO_COLOR`, if not empty, and `TERM=dumb` are obeyed.
  /// - SeeAlso: https://no-color.org
  init(
    isTerminal: Bool, environment: [String: String], isQuiet: Bool = false,
    progress: ProgressLine.Mode = .auto
  ) {
    let isCapable = isTerminal && environment["TERM"] != "dumb"
    self.isQuiet = isQuiet
    usesColor = isCapable && environment["NO_COLOR"] ?? "" == ""
    showsProgress = progress == .always || progress == .auto && isCapable
  }
}
