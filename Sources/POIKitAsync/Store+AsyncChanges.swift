@_exported public import POIKit

extension Store {
  /// What changes in the store, as it comes: first all since a position, then what any program commits, this one too.
  ///
  /// A connection of its own looks four times a second whether the file has changed, and holds no lock meanwhile. The
  /// sequence ends with its task, or with a `StoreError` when the store cannot be read; one in memory cannot.
  ///
  /// ```swift
  /// import POIKitAsync
  ///
  /// let start = try store.changes().position
  /// for try await changes in store.changeStream(since: start) { show(changes.local) }
  /// ```
  public func changeStream(
    since position: StoreChanges.Position = StoreChanges.Position()
  ) -> AsyncThrowingStream<StoreChanges, any Error> {
    let path = path
    return AsyncThrowingStream { continuation in
      let task = Task {
        do {
          let store = try Store(path, for: .readOnly)
          var position = position
          var version: Int64?
          while true {
            let current = try store.version()
            if current != version {
              version = current
              let changes = try store.changes(since: position)
              position = changes.position
              if !changes.isEmpty { continuation.yield(changes) }
            }
            try await Task.sleep(for: .milliseconds(250))
          }
        } catch {
          continuation.finish(throwing: error is CancellationError ? nil : error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
