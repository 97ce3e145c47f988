/// How far a run has come, as its progress line shows it.
public struct Progress: Sendable, Equatable {
  /// What `done` and `total` count.
  public enum Unit: Sendable, Equatable {
    case bytes
    /// Things of this name in the plural, such as `rows`.
    case items(String)
  }

  /// A number that is shown beside how much is done.
  public struct Count: Sendable, Equatable {
    /// What is counted, in the plural.
    public let name: String

    /// How many there are so far.
    public let value: Int

    /// Whether the number per second is shown too.
    public let showsRate: Bool

    /// A number with its name.
    public init(_ name: String, _ value: Int, showsRate: Bool = false) {
      self.name = name
      self.value = value
      self.showsRate = showsRate
    }
  }

  /// What is being done, such as an input's name. Rates and the time left are measured from the
  /// first report of an activity.
  public var activity: String

  /// What `done` and `total` count.
  public var unit: Unit

  /// How much is done, in `unit`.
  public var done: Int

  /// How much there is to do in all, in `unit`; nil if nobody knows.
  public var total: Int?

  /// The numbers shown behind, in their order.
  public var counts: [Count]

  /// A state of things.
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
