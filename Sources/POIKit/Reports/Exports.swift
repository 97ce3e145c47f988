// Gives programs that import POIKit models, digests and byte sources too.
@_exported public import POIInputs
@_exported public import POIRecords
