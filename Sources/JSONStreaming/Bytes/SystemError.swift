internal import Glibc

/// An error number of the system, before it is known what it means for the input.
package struct SystemError: Error {
  /// The value of `errno`.
  package let number: Int32

  package init(number: Int32) { self.number = number }

  /// The error of the system call that failed last on this thread.
  package static var last: SystemError { SystemError(number: errno) }

  /// What the system calls the error, `strerror(3)`.
  package var text: String {
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    return unsafe String(cString: text)
  }
}
