internal import POISQLite

/// Why an internal operation failed. Public functions convert it to a `StoreError`, which adds the path
/// of the database.
struct StoreFailure: Error {
  let code: StoreError.Code

  /// What went wrong, with the value, in lower case.
  let message: String

  let advice: [Advice]

  /// The error of SQLite that caused it, if any.
  let cause: SQLiteError?

  init(_ code: StoreError.Code, _ message: String, advice: Advice..., cause: SQLiteError? = nil) {
    self.init(code, message, advice: advice, cause: cause)
  }

  init(_ code: StoreError.Code, _ message: String, advice: [Advice], cause: SQLiteError? = nil) {
    self.code = code
    self.message = message
    self.advice = advice
    self.cause = cause
  }
}
