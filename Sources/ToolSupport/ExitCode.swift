/// The status that a tool ends with.
///
/// The numbers are part of every tool's interface. Those from 64 on follow `sysexits.h`, 130 is
/// what shells report for a program that an interrupt ended.
public struct ExitCode: Sendable, Equatable {
  /// The process's exit status.
  public let value: Int32

  /// What the status says, in one lower-case line.
  public let meaning: String
}

extension ExitCode {
  /// Everything asked for is done.
  public static let done = ExitCode(value: 0, meaning: "done")

  /// The work is done; records that broke rules were left out.
  public static let rejected = ExitCode(value: 1, meaning: "done, and some records were rejected")

  /// The command line was not understood, `EX_USAGE`.
  public static let usage = ExitCode(
    value: 64, meaning: "the command line is wrong; nothing was done")

  /// The input is no JSON, or too much of it is bad, `EX_DATAERR`.
  public static let dataError = ExitCode(
    value: 65, meaning: "the input cannot be read as JSON, or exceeds its error budget")

  /// An input does not exist or cannot be opened, `EX_NOINPUT`.
  public static let noInput = ExitCode(value: 66, meaning: "no such input")

  /// The tool found itself at fault, `EX_SOFTWARE`.
  public static let internalError = ExitCode(value: 70, meaning: "an internal check failed")

  /// Reading, writing or the store failed, `EX_IOERR`.
  public static let ioError = ExitCode(
    value: 74, meaning: "input or output failed (disk full, store locked)")

  /// SIGINT or SIGTERM ended the run at a place where it can stop.
  public static let interrupted = ExitCode(
    value: 130, meaning: "interrupted; what was committed stays")
}

extension ExitCode: CaseIterable {
  /// Every status, in ascending order, for help texts and manuals.
  public static let allCases: [ExitCode] = [
    .done, .rejected, .usage, .dataError, .noInput, .internalError, .ioError, .interrupted,
  ]
}
