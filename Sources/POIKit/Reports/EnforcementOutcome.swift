/// What enforcing a key made, and what undoing has to remove.
struct EnforcementOutcome {
  var createdIndex = false
  var addedKeyColumn = false
}
