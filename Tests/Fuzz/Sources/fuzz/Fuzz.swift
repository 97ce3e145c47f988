internal import FuzzTargets
internal import Glibc
internal import LibFuzzer

/// Fuzzes one target: the first argument names it, the others are libFuzzer's.
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
    // The target's name stays as the one of the program.
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
