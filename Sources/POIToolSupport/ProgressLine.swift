/// A terminal line that is redrawn: first after a tenth of a second, then at most ten times a
/// second. Its functions return the text to write.
struct ProgressLine: Sendable {
  /// When progress is shown; `auto` means on a terminal that can erase a line.
  enum Mode: String, CaseIterable {
    case auto, always, never
  }

  private struct Baseline {
    let progress: Progress
    let time: Duration
  }

  private static let interval = Duration.milliseconds(100)

  /// Moves to the start of the line and erases it.
  private static let erase = "\r\u{1b}[K"

  private let clock: @Sendable () -> Duration
  private var baseline: Baseline?
  private var nextDrawing = Duration.zero
  private var isDrawn = false

  /// - Parameter clock: a monotonic time since some fixed moment.
  init(clock: @escaping @Sendable () -> Duration) {
    self.clock = clock
  }

  /// Returns the text that redraws the line, or nil if it is too early.
  ///
  /// - Parameter width: the columns of the terminal; the last one stays free.
  mutating func update(_ progress: Progress, width: () -> Int) -> String? {
    let now = clock()
    if baseline?.progress.activity != progress.activity {
      if baseline == nil { nextDrawing = now + Self.interval }
      // A stage may report once only.
      if isDrawn { nextDrawing = now }
      baseline = Baseline(progress: progress, time: now)
    }
    guard let baseline, now >= nextDrawing else { return nil }
    nextDrawing = now + Self.interval
    isDrawn = true
    let text = Self.text(progress, since: baseline.progress, in: now - baseline.time)
    return Self.erase
      + String(String.UnicodeScalarView(text.unicodeScalars.prefix(max(0, width() - 1))))
  }

  /// Returns the text that erases the line, or nil if none is shown.
  mutating func clear() -> String? {
    guard isDrawn else { return nil }
    isDrawn = false
    nextDrawing = clock()
    return Self.erase
  }

  /// The text of the line, most important first, because a narrow terminal truncates it.
  static func text(_ progress: Progress, since start: Progress, in elapsed: Duration) -> String {
    var parts = [printable(progress.activity), amount(progress)]
    if let left = secondsLeft(progress, since: start, in: elapsed) {
      parts.append("\(QuantityFormat.clock(left)) left")
    }
    for count in progress.counts {
      parts.append("\(QuantityFormat.count(count.value)) \(count.name)")
      let before = start.counts.first { $0.name == count.name }?.value ?? 0
      if count.showsRate, let rate = QuantityFormat.rate(count.value - before, in: elapsed) {
        parts.append(rate)
      }
    }
    return parts.filter { !$0.isEmpty }.joined(separator: "  ")
  }

  private static func amount(_ progress: Progress) -> String {
    guard let total = progress.total, total > 0 else {
      switch progress.unit {
      case .bytes: return QuantityFormat.bytes(progress.done)
      case .items(let name): return "\(QuantityFormat.count(progress.done)) \(name)"
      case .none: return ""
      }
    }
    let done = min(progress.done, total)
    let share = " (" + QuantityFormat.percent(done, of: total) + ")"
    switch progress.unit {
    case .bytes: return QuantityFormat.bytes(done, of: total) + share
    case .items(let name):
      return "\(QuantityFormat.count(done)) of \(QuantityFormat.count(total)) \(name)" + share
    case .none: return ""
    }
  }

  /// The seconds left at the current rate; nil if there is no rate yet.
  private static func secondsLeft(
    _ progress: Progress, since start: Progress, in elapsed: Duration
  ) -> Int? {
    let advance = progress.done - start.done
    guard let total = progress.total, total >= progress.done, advance > 0 else { return nil }
    let left = Double(total - progress.done) / Double(advance) * (elapsed / .seconds(1))
    return left < 360_000 ? Int(left.rounded()) : nil
  }
}
