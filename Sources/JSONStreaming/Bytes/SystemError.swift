internal import Glibc

/// A system error number that has not been interpreted yet.
package struct SystemError: Error {
  /// The value of `errno`.
  package let number: Int32

  package init(number: Int32) { self.number = number }

  /// The error of the last failed system call on this thread.
  package static var last: SystemError { SystemError(number: errno) }

  /// The system's description of the error, `strerror(3)`.
  package var text: String {
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    return unsafe String(cString: text)
  }
}
