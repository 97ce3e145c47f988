/// The status that a tool ends with.
///
/// Those from 64 on follow `sysexits.h`; 130 is what shells report for an interrupted program.
public struct ExitCode: Sendable {
  let value: Int32

  /// The meaning, in one lower-case line.
  let meaning: String

  /// The same status with a meaning for one tool.
  public func meaning(_ meaning: String) -> ExitCode { ExitCode(value: value, meaning: meaning) }
}

extension ExitCode: Equatable {
  /// Whether both are the same status; the meaning does not count.
  public static func == (left: ExitCode, right: ExitCode) -> Bool { left.value == right.value }
}

extension ExitCode {
  /// Everything asked for is done.
  public static let done = ExitCode(value: 0, meaning: "done")

  /// The work is done; records that broke rules were left out.
  public static let rejected = ExitCode(value: 1, meaning: "done; some records were rejected")

  /// The command line is invalid, or does not fit what it names, `EX_USAGE`.
  public static let usage = ExitCode(
    value: 64, meaning: "the command line, the model or the store does not fit the request")

  /// The input or the data does not fit the request, `EX_DATAERR`.
  public static let dataError = ExitCode(value: 65, meaning: "the data does not fit the request")

  /// An input does not exist or cannot be opened, `EX_NOINPUT`.
  public static let noInput = ExitCode(value: 66, meaning: "no such input")

  /// The tool found an error of its own, `EX_SOFTWARE`.
  public static let internalError = ExitCode(value: 70, meaning: "an internal check failed")

  /// Reading, writing or the store failed, `EX_IOERR`.
  public static let ioError = ExitCode(
    value: 74,
    meaning: "reading or writing failed: the disk is full, or the store is locked, damaged, moved, "
      + "not a SQLite database, or changed by another program")

  /// A server cannot be reached, or asks to wait, `EX_TEMPFAIL`.
  public static let unreachable = ExitCode(
    value: 75, meaning: "the server cannot be reached; try again later")

  /// A server refuses the credentials, `EX_NOPERM`.
  public static let noPermission = ExitCode(
    value: 77, meaning: "the server refuses the credentials")

  /// SIGINT or SIGTERM ended the run at a place where it can stop.
  public static let interrupted = ExitCode(
    value: 130, meaning: "interrupted; committed batches stay")
}
