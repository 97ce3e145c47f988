/// How far a run has come, as its progress line shows it.
public struct Progress: Sendable {
  /// What `done` and `total` count.
  public enum Unit: Sendable {
    case bytes
    /// Things of this name in the plural, such as `rows`.
    case items(String)
  }

  /// A number that is shown behind how much is done.
  public struct Count: Sendable {
    let name: String
    let value: Int
    let showsRate: Bool

    /// A number with its name in the plural.
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

  /// A state of things.
  ///
  /// - Parameters:
  ///   - activity: what is being done. Rates and the time left are measured from the first report of
  ///     an activity.
  ///   - total: how much there is to do in all; nil if nobody knows.
  public init(
    _ activity: String, unit: Unit, done: Int, total: Int? = nil, counts: [Count] = []
  ) {
    self.activity = activity
    self.unit = unit
    self.done = done
    self.total = total
    self.counts = counts
  }
}
