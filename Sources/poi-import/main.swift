import POIKit
import SQLiteKit
import ToolSupport

SQLiteLibrary.disableMemoryStatistics()
SQLiteLibrary.takePagesSingly()
runTool(ImportCommand.description) { arguments, tool in
  do {
    return try ImportCommand(arguments).run(&tool)
  } catch let error as ImportError {
    // Ctrl-C also ends the program that decompresses the input; that is no damaged input.
    let isInterrupted = Interruption.isRequested && error.code == .unreadable
    throw ToolFailure(
      isInterrupted ? .interrupted : error.exitCode,
      isInterrupted ? "interrupted; --resume goes on" : error.message)
  } catch let error as ModelError {
    throw ToolFailure(error.exitCode, error.description)
  } catch let error as InputError {
    throw ToolFailure(ImportError(error).exitCode, error.description)
  } catch let error as StoreError {
    throw ToolFailure(ImportError(error).exitCode, error.message)
  }
}
