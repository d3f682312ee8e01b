#if Tools
import ThumbturnServer

/// What a store holds of everything that is judged, as lines of words: accounts, devices, keys, live sessions, visits, approvals
/// and their signatures, and the secrets. What is not among them (counts of passwords and quotas, and what was consumed) a walk
/// does not tell apart. Identifiers of approvals are in lower-case hexadecimal.
enum Standings {
    static func lines(of store: SQLStore) throws -> [String] { try store.texts(of: queries).sorted() }

    /// The number of notices of each kind, and of the rows of the audit log.
    static func records(of store: SQLStore) throws -> [String: Int] {
        let lines = try store.texts(of: [
            "SELECT kind || ' ' || count(*) FROM notices GROUP BY kind", "SELECT 'audit ' || count(*) FROM audit",
        ]).map { $0.split(separator: " ") }
        return Dictionary(uniqueKeysWithValues: lines.map { (String($0[0]), Int($0[1]) ?? 0) })
    }

    private static let queries = [
        "SELECT 'account ' || name || ' ' || (disabled_at IS NOT NULL) FROM accounts",
        """
        SELECT 'device ' || session_jkt || ' ' || (revoked_at IS NOT NULL) || ' '
            || max(cools_off_until - (SELECT high_water FROM node), 0) FROM devices
        """,
        """
        SELECT 'key ' || kid || ' ' || kind || ' ' || (retired_at IS NOT NULL) || ' ' || (active_since IS NOT NULL) || ' '
            || enrolled_by || ' ' || min(wrong_in_a_row, 10) || ' ' || max(paused_until - (SELECT high_water FROM node), 0) FROM keys
        """,
        """
        SELECT DISTINCT 'session ' || s.kid || ' ' || coalesce(s.granted, '') || ' '
            || (high_water - s.auth_time <= 300) || (high_water - s.auth_time < 43200) || (high_water - s.rotated_at < 3600)
        FROM node CROSS JOIN sessions s JOIN keys k ON k.kid = s.kid JOIN devices d ON d.id = s.device_id
        WHERE s.ended_at IS NULL AND d.revoked_at IS NULL AND s.opened > max(d.sessions_over, k.sessions_over)
        """,
        """
        SELECT DISTINCT 'visit ' || v.jkt || ' ' || (high_water - v.auth_time <= 300) || (high_water - v.auth_time < 1800)
        FROM node CROSS JOIN visits v JOIN accounts a ON a.id = v.account_id
        WHERE a.credential_generation = v.credential_generation
        """,
        """
        SELECT 'approval ' || lower(hex(id)) || ' ' || state || ' ' || (expires_at > (SELECT high_water FROM node))
        FROM approvals
        """,
        """
        SELECT 'signature ' || lower(hex(p.approval_id)) || ' ' || p.kid || ' ' || (p.at <= a.signatures_over)
        FROM approval_proofs p JOIN accounts a ON a.id = p.account_id
        """,
        """
        SELECT 'secrets ' || use || ' ' || signs || ' ' || count(*)
        FROM (SELECT use, signs_in IS (SELECT epoch FROM node) AS signs FROM secrets) GROUP BY use, signs
        """,
        "SELECT 'retired ' || count(*) || ' ' || count(revoked_at) FROM retired_token_keys",
    ]
}
#endif
