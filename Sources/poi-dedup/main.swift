import POIKit
import SQLiteKit
import ToolSupport

SQLiteLibrary.disableMemoryStatistics()
SQLiteLibrary.takePagesSingly()
runTool(DedupCommand.description) { arguments, tool in
  let job = try DedupCommand(arguments)
  let diagnostics = tool.diagnostics
  let outcome: DedupOutcome
  do {
    let database = try DedupDatabase(job)
    outcome = try database.run(job) { progress in
      diagnostics.progress(Progress(progress, store: job.storePath))
      return Interruption.isRequested ? .stop : .proceed
    }
  } catch let error as DeduplicationError {
    if error.code == .database, let cause = error.cause {
      throw ToolFailure(error.exitCode, StoreError(cause, path: job.storePath).message)
    }
    throw ToolFailure(error.exitCode, "\(job.storePath): \(error.message)")
  } catch let error as StoreError {
    throw ToolFailure(error.code == .database ? .ioError : .usage, error.message)
  }
  diagnostics.clearProgress()
  tool.output.write(job.text(of: outcome, isQuiet: tool.isQuiet))
  for warning in outcome.warnings { diagnostics.warning(warning) }
  for note in outcome.notes { diagnostics.note(note) }
  return outcome.isInterrupted ? .interrupted : .done
}
