internal import Glibc
internal import LibFuzzer
internal import POIFuzzTargets

/// Fuzzes the target named by the first argument; the others are options of libFuzzer.
@main
struct Fuzz {
  private static let target: FuzzTarget = {
    guard CommandLine.arguments.count > 1,
      let target = FuzzTarget(rawValue: CommandLine.arguments[1])
    else {
      let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: "|")
      print("usage: fuzz \(names) [OPTION…] [FOLDER…]")
      exit(64)
    }
    return target
  }()

  static func main() {
    _ = target
    // libFuzzer uses the target's name as the program name.
    var count = CommandLine.argc - 1
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
      unsafe CommandLine.unsafeArgv + 1
    let status = unsafe LLVMFuzzerRunDriver(&count, &arguments) { start, count in
      let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
      do {
        try Fuzz.target.run(bytes)
      } catch {
        fatalError("\(error)")
      }
      return 0
    }
    exit(status)
  }
}
