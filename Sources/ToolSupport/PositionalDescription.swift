/// What a tool takes besides its options.
public struct PositionalDescription: Sendable, Equatable {
  /// How many arguments there may be.
  public enum Cardinality: Sendable, Equatable {
    case one, zeroOrOne, oneOrMore, zeroOrMore
  }

  /// The word that stands for an argument in the help, in capitals. `FILE`, `PATH` and `DIRECTORY`
  /// are completed as file names.
  public let placeholder: String

  /// What the argument is, as a lower-case fragment.
  public let help: String

  /// How many there may be.
  public let cardinality: Cardinality

  /// The arguments of a tool.
  public init(_ placeholder: String, _ cardinality: Cardinality, help: String) {
    self.placeholder = placeholder
    self.cardinality = cardinality
    self.help = help
  }
}

extension PositionalDescription {
  /// The arguments as a usage line shows them.
  var usage: String {
    switch cardinality {
    case .one: placeholder
    case .zeroOrOne: "[\(placeholder)]"
    case .oneOrMore: "\(placeholder)..."
    case .zeroOrMore: "[\(placeholder)]..."
    }
  }

  /// How many arguments there must be.
  var minimumCount: Int {
    switch cardinality {
    case .one, .oneOrMore: 1
    case .zeroOrOne, .zeroOrMore: 0
    }
  }

  /// How many arguments there may be.
  var maximumCount: Int {
    switch cardinality {
    case .one, .zeroOrOne: 1
    case .oneOrMore, .zeroOrMore: .max
    }
  }
}
