// Programs that import POIKit see models, records' digests and byte sources with it.
@_exported public import POIInputs
@_exported public import POIRecords
