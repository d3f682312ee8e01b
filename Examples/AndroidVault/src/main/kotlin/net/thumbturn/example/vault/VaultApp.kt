package net.thumbturn.example.vault

import android.app.Application
import com.thumbturn.Authenticator
import com.thumbturn.Policy
import com.thumbturn.Thumbturn
import com.thumbturn.Vault

/** What lives as long as the process: the phone, the account on it, and the vault. */
class VaultApp : Application() {
    val pinScreen = PinScreen()

    private val phone: Thumbturn by lazy {
        Thumbturn.open(this, Thumbturn.Options.DEFAULT.title(getString(R.string.app_name)).pinEntry(pinScreen))
    }

    val auth: Authenticator by lazy { phone.authenticator(getString(R.string.server)) }

    /** A new finger destroys what it holds, so it is for what can be fetched or made again. */
    val vault: Vault by lazy { phone.vault("secrets", Vault.Access.BIOMETRY_CURRENT_SET, Policy.STORED_CREDENTIAL) }
}
