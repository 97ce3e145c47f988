/// The attribute that identifies a record, if there is one.
package struct KeyChoice {
  /// The indices of the columns; empty if there is no key.
  var indices: [Int] = []

  /// Whether only its values suggest that it is a key, or records other than versions of one share a value.
  package var isDoubtful = false

  /// The sentence in the model's comment.
  var remark: String

  /// Why there is no key; nil if there is one.
  package var reasonForNone: String?
}
