/// A violated property, found with one input.
public struct FuzzFinding: Error, CustomStringConvertible {
  public let message: String

  public var description: String { message }
}
