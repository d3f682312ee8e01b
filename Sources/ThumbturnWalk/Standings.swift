#if Tools
import ThumbturnServer

/// What a store holds of everything that is judged, as lines of words: accounts, devices, keys, live sessions, approvals and
/// their signatures, and the secrets. Two stores with equal lines give equal answers from now on, except to what was
/// consumed before. Identifiers of approvals are in lower-case hexadecimal.
enum Standings {
    static func lines(of store: SQLiteStore) throws -> [String] { try store.texts(of: queries).sorted() }

    private static let queries = [
        "SELECT 'account ' || name || ' ' || (disabled_at IS NOT NULL) FROM accounts",
        """
        SELECT 'device ' || session_jkt || ' ' || (revoked_at IS NOT NULL) || ' '
            || max(cools_off_until - (SELECT high_water FROM node), 0) FROM devices
        """,
        """
        SELECT 'key ' || kid || ' ' || kind || ' ' || (retired_at IS NOT NULL) || ' ' || (active_since IS NOT NULL) || ' '
            || enrolled_by || ' ' || wrong_in_a_row || ' ' || max(paused_until - (SELECT high_water FROM node), 0) FROM keys
        """,
        """
        SELECT DISTINCT 'session ' || s.kid || ' ' || coalesce(s.granted, '') || ' '
            || (s.auth_time - (SELECT high_water FROM node))
        FROM sessions s JOIN keys k ON k.kid = s.kid JOIN devices d ON d.id = s.device_id
        WHERE s.ended_at IS NULL AND d.revoked_at IS NULL AND s.opened > max(d.sessions_over, k.sessions_over)
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
