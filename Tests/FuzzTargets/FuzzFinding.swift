/// Something that should hold for all inputs, and does not for one.
public struct FuzzFinding: Error, CustomStringConvertible {
  public let message: String

  public var description: String { message }
}
