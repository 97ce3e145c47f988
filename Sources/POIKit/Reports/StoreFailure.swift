internal import SQLiteKit

/// Why an operation inside of the toolkit cannot go on. The functions that programs call throw it as a
/// `StoreError`, which adds the path of the database.
struct StoreFailure: Error {
  let code: StoreError.Code

  /// What went wrong, with the value in question, in lower case.
  let message: String

  let advice: [Advice]

  /// SQLite's error behind it, if there is one.
  let cause: SQLiteError?

  init(
    _ code: StoreError.Code, _ message: String, advice: Advice..., cause: SQLiteError? = nil
  ) {
    self.init(code, message, advice: advice, cause: cause)
  }

  init(
    _ code: StoreError.Code, _ message: String, advice: [Advice], cause: SQLiteError? = nil
  ) {
    self.code = code
    self.message = message
    self.advice = advice
    self.cause = cause
  }
}
