/// The attribute that identifies a record, if there is one.
package struct KeyChoice {
  /// The index of the column; nil if there is no key.
  var index: Int?

  /// Whether only its values suggest that it is a key, or some of them repeat.
  package var isDoubtful = false

  /// The sentence in the model's comment.
  var remark: String

  /// Why there is no key; nil if there is one.
  package var reasonForNone: String?
}
