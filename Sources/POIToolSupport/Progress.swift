/// The state of a run for its progress line.
public struct Progress: Sendable {
  /// The unit of `done` and `total`.
  public enum Unit: Sendable {
    case bytes
    /// Items with this plural name, such as `rows`.
    case items(String)
    /// Nothing is counted.
    case none
  }

  /// A number shown after the amount done.
  public struct Count: Sendable {
    let name: String
    let value: Int
    let showsRate: Bool

    /// A number with its plural name.
    public init(_ name: String, _ value: Int, showsRate: Bool = false) {
      self.name = name
      self.value = value
      self.showsRate = showsRate
    }
  }

  let activity: String
  let unit: Unit
  let done: Int
  let total: Int?
  let counts: [Count]

  /// The current state.
  ///
  /// - Parameters:
  ///   - activity: the current activity. Rates and the time left are measured from its first
  ///     report.
  ///   - total: the whole amount; nil if unknown.
  public init(_ activity: String, unit: Unit, done: Int, total: Int? = nil, counts: [Count] = []) {
    self.activity = activity
    self.unit = unit
    self.done = done
    self.total = total
    self.counts = counts
  }
}
