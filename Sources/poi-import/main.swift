import POIKit
import SQLiteKit
import ToolSupport

SQLiteLibrary.disableMemoryStatistics()
SQLiteLibrary.allocatePagesSingly()
runTool(ImportCommand.description) { arguments, tool in
  do {
    return try ImportCommand(arguments).run(&tool)
  } catch let error as ImportError {
    throw ToolFailure(error)
  } catch let error as ModelError {
    throw ToolFailure(error.exitCode, error.description)
  } catch let error as InputError {
    throw ToolFailure(ImportError(error).exitCode, error.description)
  } catch let error as StoreError {
    throw ToolFailure(ImportError(error).exitCode, error.message)
  }
}
