package net.thumbturn.example.vault

import android.app.Application
import com.thumbturn.Authenticator
import com.thumbturn.Failure
import com.thumbturn.Policy
import com.thumbturn.Thumbturn
import com.thumbturn.Vault
import kotlinx.coroutines.Job
import kotlinx.coroutines.MainScope
import kotlinx.coroutines.launch

/** What lives as long as the process: the phone, the account on it, the vault, and the call that is under way. */
class VaultApp : Application() {
    /** The activity that shows what happens. */
    var screen: VaultActivity? = null

    val pinScreen = PinScreen { screen?.showPin() }

    private val phone: Thumbturn by lazy {
        Thumbturn.open(this, Thumbturn.Options.DEFAULT.title(getString(R.string.app_name)).pinEntry(pinScreen))
    }

    val auth: Authenticator by lazy { phone.authenticator(getString(R.string.server)) }

    /** A new finger destroys what it holds, so it is for what can be fetched or made again. */
    val vault: Vault by lazy { phone.vault("secrets", Vault.Access.BIOMETRY_CURRENT_SET, Policy.STORED_CREDENTIAL) }

    /** What is said now. */
    var text = ""
        private set

    /** The failure that is told; null where the text tells none. */
    var failure: Failure? = null
        private set

    private val scope = MainScope()
    private var job: Job? = null

    /** Begins a call, unless one is under way. It goes on while an activity is made anew, as when the phone is turned. */
    fun begin(work: suspend () -> String) {
        if (job?.isActive == true) return
        job = scope.launch {
            say(text)
            trying { say(work()) }
            trying { screen?.refresh() }
        }
    }

    /** Cancels the call under way, and dismisses what it shows. */
    fun cancel() {
        job?.cancel()
    }

    /** Says what failed, and keeps the failure, whose step may help. */
    suspend fun trying(work: suspend () -> Unit) {
        try {
            work()
        } catch (failure: Failure) {
            say(failure.message.orEmpty(), failure)
        }
    }

    fun say(text: String, failure: Failure? = null) {
        this.text = text
        this.failure = failure
        screen?.showText()
    }
}
