internal import Glibc

/// An error number of the system, before it is known what it means for the input.
struct SystemError: Error {
  /// The value of `errno`.
  let number: Int32

  /// The error of the system call that failed last on this thread.
  static var last: SystemError { SystemError(number: errno) }

  /// What the system calls the error, `strerror(3)`.
  var text: String {
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    return unsafe String(cString: text)
  }
}
