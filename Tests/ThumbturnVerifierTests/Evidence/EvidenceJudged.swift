import ThumbturnVerifier

/// Why evidence was refused, or nil where it was accepted.
func evidenceRefusal(_ work: () throws -> Void) -> EvidenceRefusal.Reason? {
    do {
        try work()
        return nil
    } catch {
        return (error as? EvidenceRefusal)?.reason
    }
}
