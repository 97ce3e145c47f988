import JSONStreaming
import POIFiles
import POIKit
import POIToolSupport

extension ImportCommand {
  /// Judges the lines of standard input. Rejected records are no failure, so that a program which started this one
  /// does not try again.
  func emit(shardCount: Int, _ tool: inout ToolEnvironment) throws -> ExitCode {
    var emitter = LineEmitter(model, options: options, shardCount: shardCount)
    var source = try FileSource(path: "-", isInterrupted: { Interruption.isRequested })
    var input = GrowableBuffer<UInt8>(minimumCapacity: 1 << 18)
    var output = GrowableBuffer<UInt8>(minimumCapacity: 1 << 18)
    while true {
      input.removeAll()
      let count = try input.appendInPlace(minimumFree: 1 << 18) {
        (output) throws(InputError) in try source.read(into: &output)
      }
      if count == 0 { break }
      emitter.append(input.span, to: &output)
      tool.output.write(json: output.span)
      output.removeAll()
      if tool.output.isClosed || Interruption.isRequested { return .interrupted }
    }
    emitter.finish(to: &output)
    tool.output.write(json: output.span)
    return .done
  }
}
