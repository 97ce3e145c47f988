internal import Glibc

@main
struct GeneratePOI {
  static func main() {
    do throws(UsageError) {
      let options = try Options(arguments: CommandLine.arguments.dropFirst())
      if options.isHelp {
        print(Options.help)
      } else if options.isExpectation {
        let left = options.recordCount - options.duplicateCount
        print(
          #"{"records":\#(options.recordCount),"losers":\#(options.duplicateCount),"rowsLeft":\#(left)}"#
        )
      } else {
        try generate(options)
      }
    } catch {
      fail(error.message + "; see --help", status: 64)
    }
  }

  private static func generate(_ options: Options) throws(UsageError) {
    var descriptor = STDOUT_FILENO
    if let path = options.output {
      descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
      if descriptor < 0 { fail("\(path): \(systemText(errno))", status: 74) }
    }
    var output = OutputBuffer(descriptor: descriptor)
    do throws(WriteError) {
      try FileWriter(options: options).write(to: &output)
    } catch {
      fail("\(options.output ?? "standard output"): \(systemText(error.number))", status: 74)
    }
  }

  private static func systemText(_ number: Int32) -> String {
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    return unsafe String(cString: text)
  }

  private static func fail(_ message: String, status: Int32) -> Never {
    let line = Array("generate-poi: error: \(message)\n".utf8)
    _ = unsafe write(STDERR_FILENO, line, line.count)
    exit(status)
  }
}
