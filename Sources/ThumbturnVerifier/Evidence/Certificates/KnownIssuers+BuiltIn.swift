extension KnownIssuers {
    /// "Apple App Attestation CA 1", valid from 2020-03-18 to 2030-03-13, under which every certificate of a key stood that
    /// was seen from 2020 to 2026. It is remembered because its signature is verified here, once.
    ///
    /// When Apple changes it, chains verify as before and take half a millisecond longer.
    static let appleAppAttest: KnownIssuers = {
        let root = TrustAnchor.appleAppAttest
        guard let der = try? TrustAnchor.certificates(inPEM: appleAuthority).first,
            let authority = try? Certificate(der: der), authority.isSigned(by: root.key)
        else { preconditionFailure("the built-in authority is a certificate that Apple's root signed") }
        var known = KnownIssuers()
        known.remember(authority, signedBy: root.spki)
        return known
    }()

    private static let appleAuthority = """
        -----BEGIN CERTIFICATE-----
        MIICQzCCAcigAwIBAgIQCbrF4bxAGtnUU5W8OBoIVDAKBggqhkjOPQQDAzBSMSYw
        JAYDVQQDDB1BcHBsZSBBcHAgQXR0ZXN0YXRpb24gUm9vdCBDQTETMBEGA1UECgwK
        QXBwbGUgSW5jLjETMBEGA1UECAwKQ2FsaWZvcm5pYTAeFw0yMDAzMTgxODM5NTVa
        Fw0zMDAzMTMwMDAwMDBaME8xIzAhBgNVBAMMGkFwcGxlIEFwcCBBdHRlc3RhdGlv
        biBDQSAxMRMwEQYDVQQKDApBcHBsZSBJbmMuMRMwEQYDVQQIDApDYWxpZm9ybmlh
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAErls3oHdNebI1j0Dn0fImJvHCX+8XgC3q
        s4JqWYdP+NKtFSV4mqJmBBkSSLY8uWcGnpjTY71eNw+/oI4ynoBzqYXndG6jWaL2
        bynbMq9FXiEWWNVnr54mfrJhTcIaZs6Zo2YwZDASBgNVHRMBAf8ECDAGAQH/AgEA
        MB8GA1UdIwQYMBaAFKyREFMzvb5oQf+nDKnl+url5YqhMB0GA1UdDgQWBBQ+410c
        BBmpybQx+IR01uHhV3LjmzAOBgNVHQ8BAf8EBAMCAQYwCgYIKoZIzj0EAwMDaQAw
        ZgIxALu+iI1zjQUCz7z9Zm0JV1A1vNaHLD+EMEkmKe3R+RToeZkcmui1rvjTqFQz
        97YNBgIxAKs47dDMge0ApFLDukT5k2NlU/7MKX8utN+fXr5aSsq2mVxLgg35BDhv
        eAe7WJQ5tw==
        -----END CERTIFICATE-----
        """
}
