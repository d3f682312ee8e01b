package net.thumbturn.example.vault

import android.app.Activity
import android.content.Intent
import android.os.Bundle
import android.provider.Settings
import android.view.View
import android.widget.EditText
import android.widget.TextView
import com.thumbturn.Action
import com.thumbturn.Amount
import com.thumbturn.Credentials
import com.thumbturn.Failure
import com.thumbturn.KeyKind
import com.thumbturn.KeyState
import com.thumbturn.OpenVault
import com.thumbturn.Recovery
import com.thumbturn.account
import com.thumbturn.enrolling
import com.thumbturn.isReady
import com.thumbturn.keep
import com.thumbturn.news
import com.thumbturn.outcome
import com.thumbturn.secret
import com.thumbturn.steppingUp
import com.thumbturn.unlock
import com.thumbturn.unlocking
import kotlinx.coroutines.Job
import kotlinx.coroutines.MainScope
import kotlinx.coroutines.cancel
import kotlinx.coroutines.launch

/** The one screen: a text, and a button for each thing that the library does. */
class VaultActivity : Activity() {
    private val scope = MainScope()
    private var job: Job? = null
    private val app get() = application as VaultApp
    private val auth get() = app.auth

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        setContentView(R.layout.main)
        on(R.id.set_up) { setUp() }
        on(R.id.sign_in) { signIn() }
        on(R.id.pay) { pay() }
        on(R.id.save) { save() }
        on(R.id.open) { open() }
        view<View>(R.id.settings).setOnClickListener { startActivity(Intent(Settings.ACTION_SECURITY_SETTINGS)) }
        view<View>(R.id.pin_ok).setOnClickListener { answerPin() }
        view<View>(R.id.pin_cancel).setOnClickListener { app.pinScreen.question?.answer(null) }
        app.pinScreen.changed = ::showPin
        showPin()
        scope.launch {
            trying {
                say(getString(if (auth.isReady().isEnrolled) R.string.is_set_up else R.string.welcome))
                refresh()
            }
        }
        // A hint that there is another way, and how to hold the phone.
        scope.launch { trying { auth.news().collect { news -> news.text?.let(::say) } } }
    }

    override fun onDestroy() {
        app.pinScreen.changed = {}
        // Cancels the call under way, and dismisses what it shows.
        scope.cancel()
        super.onDestroy()
    }

    /** The first start, and after a new finger: the password authorises new keys. */
    private suspend fun setUp(): String {
        val password = view<EditText>(R.id.password).text
        val login = Credentials.password(view<EditText>(R.id.name).text.toString(), password.toString())
        password.clear()
        auth.enrolling(login, getString(R.string.set_up_reason))
        return getString(R.string.is_set_up)
    }

    private suspend fun signIn(): String {
        val grant = auth.unlock(getString(R.string.sign_in_reason))
        return getString(R.string.signed_in, auth.account().name, grant.rung)
    }

    /** A step-up: the person proves presence for this payment, and its amount is signed. */
    private suspend fun pay(): String {
        val grant = auth.steppingUp(Action.NEW_RECIPIENT, getString(R.string.pay_reason), Amount(1250, "EUR"))
        // An app sends the payment to its own API with Authenticator.send.
        return getString(R.string.paid, grant.rung)
    }

    private suspend fun save(): String = inVault(R.string.save_reason) { vault ->
        vault.keep("secret", view<EditText>(R.id.secret).text.toString().encodeToByteArray())
        view<EditText>(R.id.secret).text.clear()
        getString(R.string.saved)
    }

    private suspend fun open(): String = inVault(R.string.open_reason) { vault ->
        vault.secret("secret")?.let { getString(R.string.opened, it.decodeToString()) } ?: getString(R.string.empty)
    }

    private suspend fun inVault(reason: Int, body: suspend (OpenVault) -> String): String = try {
        app.vault.unlocking(getString(reason)) { body(it) }
    } catch (failure: Failure) {
        if (failure.code != Failure.KEY_INVALIDATED) throw failure
        // A new finger. The contents are gone for good, and the next unlock makes a new vault.
        app.vault.delete().outcome()
        getString(R.string.vault_lost)
    }

    /** Gives a button its work; one call at a time. */
    private fun on(button: Int, work: suspend () -> String) {
        view<View>(button).setOnClickListener {
            if (job?.isActive != true) {
                job = scope.launch {
                    show(R.id.settings, false)
                    trying { say(work()) }
                    trying { refresh() }
                }
            }
        }
    }

    /** Says what failed, and shows the step that helps. */
    private suspend fun trying(work: suspend () -> Unit) {
        try {
            work()
        } catch (failure: Failure) {
            say(failure.message.orEmpty())
            val step = failure.recovery.step
            show(R.id.settings, step == Recovery.Step.OPEN_SETTINGS || step == Recovery.Step.SET_PASSCODE)
        }
    }

    /** Shows what can be done now. It is read from the keys each time: nothing stores that the sensor is on. */
    private suspend fun refresh() {
        val ready = auth.isReady()
        val key = ready.keys[KeyKind.BIOMETRIC]
        // A new finger ended the sensor's key. The PIN still signs in, and setting up again makes a new key.
        val isLost = key?.kind == KeyState.Kind.INVALIDATED
        view<TextView>(R.id.lost).text = key?.text.takeIf { isLost }.orEmpty()
        show(R.id.set_up_form, !ready.isEnrolled || isLost)
        show(R.id.sign_in, ready.isEnrolled)
        show(R.id.pay, ready.isEnrolled)
    }

    private fun showPin() {
        val question = app.pinScreen.question
        show(R.id.pin_form, question != null)
        view<EditText>(R.id.pin).text.clear()
        view<TextView>(R.id.pin_reason).text = question?.reason ?: getString(R.string.choose_pin)
        view<TextView>(R.id.pin_cancel).text = question?.cancelButton ?: getString(R.string.cancel)
    }

    private fun answerPin() {
        val typed = view<EditText>(R.id.pin).text
        if (typed.length in 6..32) app.pinScreen.question?.answer(CharArray(typed.length) { typed[it] })
    }

    private fun say(text: String) {
        view<TextView>(R.id.text).text = text
    }

    private fun show(id: Int, isShown: Boolean) {
        view<View>(id).visibility = if (isShown) View.VISIBLE else View.GONE
    }

    private fun <T : View> view(id: Int): T = findViewById(id)
}
