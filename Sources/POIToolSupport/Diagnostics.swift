internal import POIPlatform
internal import Synchronization

/// A tool's messages and its progress line on standard error.
///
/// Every message is one line, `name: error: …`, made printable. Any thread may report. A closed or
/// full standard error is ignored.
public final class Diagnostics: Sendable {
  struct Style: Sendable {
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
  /// Reports why the tool cannot do what was asked, with lines of details below it.
  public func error(_ message: String, details: [String] = []) {
    report("error", color: "31", message, details)
  }

  /// Reports a problem that does not end the run.
  public func warning(_ message: String) {
    report("warning", color: "35", message)
  }

  /// Reports a hint; `--quiet` omits it.
  public func note(_ message: String) {
    if !style.isQuiet { report("note", color: "36", message) }
  }

  /// Redraws the progress line if it is shown and due. It may be called often: per batch or read.
  ///
  /// - Parameter progress: evaluated only if the line is shown, because it allocates.
  public func progress(_ progress: @autoclosure () -> Progress) {
    guard style.showsProgress, !style.isQuiet else { return }
    let progress = progress()
    progressLine.withLock { line in
      if let text = line.update(progress, width: { descriptor.terminalWidth ?? 80 }) { write(text) }
    }
  }

  /// Erases the progress line, before something else is written to the terminal.
  public func clearProgress() {
    progressLine.withLock { line in
      if let text = line.clear() { write(text) }
    }
  }

  private func report(
    _ kind: String, color: String, _ message: String, _ details: [String] = []
  ) {
    let head =
      style.usesColor
      ? "\u{1b}[1m\(name):\u{1b}[0m \u{1b}[1;\(color)m\(kind):\u{1b}[0m "
      : "\(name): \(kind): "
    progressLine.withLock { line in
      let lines = [head + printable(message)] + details.map { "  " + printable($0) }
      write((line.clear() ?? "") + lines.joined(separator: "\n") + "\n")
    }
  }

  /// Failures are ignored: there is nowhere to report them.
  private func write(_ text: String) {
    _ = descriptor.write(Array(text.utf8).span)
  }
}

extension Diagnostics.Style {
  /// The style for a descriptor. `NO_COLOR`, if not empty, and `TERM=dumb` turn color off.
  ///
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
