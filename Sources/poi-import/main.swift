import POIKit
import ToolSupport

runTool(ImportCommand.description) { arguments, tool in
  let job = try ImportCommand(arguments)
  let diagnostics = tool.diagnostics
  do {
    if job.isPrintingToken {
      let token = try job.token()
      if let token {
        tool.output.write(ImportCommand.line(ofToken: token))
      } else {
        diagnostics.note("nothing has been imported from there yet: ask for everything")
      }
      return .done
    }
    var session = try job.session { progress in
      diagnostics.progress(Progress(progress))
      return Interruption.isRequested ? .stop : .proceed
    }
    for path in job.inputs {
      var source = try FileSource(path: path, isInterrupted: { Interruption.isRequested })
      try session.importAll(from: &source)
    }
    let report = try session.finish()
    diagnostics.clearProgress()
    tool.output.write(job.text(of: report, isQuiet: tool.isQuiet))
    for note in job.notes(on: report) { diagnostics.note(note) }
    return report.exitCode
  } catch let error as ImportError {
    // Ctrl-C also ends the program that decompresses the input; that is no damaged input.
    let isInterrupted = Interruption.isRequested && error.code == .unreadable
    throw ToolFailure(
      isInterrupted ? .interrupted : error.exitCode,
      isInterrupted ? "interrupted; --resume goes on" : error.message)
  } catch let error as InputError {
    throw ToolFailure(ImportError(error).exitCode, error.description)
  } catch let error as StoreError {
    throw ToolFailure(ImportError(error).exitCode, error.message)
  }
}
