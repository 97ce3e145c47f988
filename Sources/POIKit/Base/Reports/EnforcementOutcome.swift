/// What enforcing a key created; undoing drops it again.
struct EnforcementOutcome {
  var createdIndex = false
  var addedKeyColumn = false
}
