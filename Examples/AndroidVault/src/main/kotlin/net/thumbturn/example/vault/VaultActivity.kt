package net.thumbturn.example.vault

import android.app.Activity
import android.os.Bundle
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
import com.thumbturn.Rung
import com.thumbturn.Thumbturn
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
import kotlinx.coroutines.MainScope
import kotlinx.coroutines.cancel
import kotlinx.coroutines.launch

/** The one screen: a text, and a button for each thing that the library does. */
class VaultActivity : Activity() {
    /** What ends with this activity: it only looks. The calls are the app's. */
    private val scope = MainScope()
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
        view<View>(R.id.settings).setOnClickListener { app.failure?.let { Thumbturn.openSettings(this, it) } }
        view<View>(R.id.pin_ok).setOnClickListener { answerPin() }
        view<View>(R.id.pin_cancel).setOnClickListener { app.pinScreen.question?.answer(null) }
        app.screen = this
        showPin()
        showText()
        scope.launch {
            app.trying {
                if (app.text.isEmpty()) app.say(getString(if (auth.isReady().isEnrolled) R.string.is_set_up else R.string.welcome))
                refresh()
            }
        }
        // A hint that there is another way, and how to hold the phone.
        scope.launch { app.trying { auth.news().collect { news -> news.text?.let { app.say(it, news.failure) } } } }
    }

    override fun onDestroy() {
        scope.cancel()
        // Another activity may have taken the place already.
        if (app.screen === this) app.screen = null
        // The person leaves. An activity that is only made anew, because the phone was turned, cancels nothing.
        if (isFinishing) app.cancel()
        super.onDestroy()
    }

    /** The first start, and after a new finger: the password authorises new keys. */
    private suspend fun setUp(): String {
        val typed = view<EditText>(R.id.password).text
        val password = CharArray(typed.length) { typed[it] }
        typed.clear()
        val login = Credentials.password(view<EditText>(R.id.name).text.toString(), password)
        password.fill('\u0000')
        try {
            auth.enrolling(login, getString(R.string.set_up_reason))
        } finally {
            login.wipe()
        }
        return getString(R.string.is_set_up)
    }

    private suspend fun signIn(): String {
        val grant = auth.unlock(getString(R.string.sign_in_reason))
        return getString(R.string.signed_in, auth.account().name, name(grant.rung))
    }

    /** A step-up: the person proves presence for this payment, and its amount is signed. */
    private suspend fun pay(): String {
        val grant = auth.steppingUp(Action.NEW_RECIPIENT, getString(R.string.pay_reason), Amount(1250, "EUR"))
        // An app sends the payment to its own API with Authenticator.send.
        return getString(R.string.paid, name(grant.rung))
    }

    private suspend fun save(): String = inVault(R.string.save_reason) { vault ->
        val typed = view<EditText>(R.id.secret).text
        // The text field and this string keep copies that no app can wipe; the array is wiped.
        val secret = typed.toString().encodeToByteArray()
        try {
            vault.keep("secret", secret)
        } finally {
            secret.fill(0)
        }
        typed.clear()
        getString(R.string.saved)
    }

    private suspend fun open(): String = inVault(R.string.open_reason) { vault ->
        val secret = vault.secret("secret") ?: return@inVault getString(R.string.empty)
        val text = getString(R.string.opened, secret.decodeToString())
        secret.fill(0)
        text
    }

    private suspend fun inVault(reason: Int, body: suspend (OpenVault) -> String): String = try {
        app.vault.unlocking(getString(reason)) { body(it) }
    } catch (failure: Failure) {
        if (!failure.has(Failure.KEY_INVALIDATED)) throw failure
        // A new finger. The contents are gone for good, and the next unlock makes a new vault.
        app.vault.delete().outcome()
        getString(R.string.vault_lost)
    }

    /** Gives a button its work; one call at a time. */
    private fun on(button: Int, work: suspend () -> String) {
        view<View>(button).setOnClickListener { app.begin(work) }
    }

    /** Shows what can be done now. It is read from the keys each time: nothing stores that the sensor is on. */
    suspend fun refresh() {
        val ready = auth.isReady()
        val key = ready.keys[KeyKind.BIOMETRIC]
        // A new finger ended the sensor's key. The PIN still signs in, and setting up again makes a new key.
        val isLost = key?.kind == KeyState.Kind.INVALIDATED
        view<TextView>(R.id.lost).text = key?.text.takeIf { isLost }.orEmpty()
        show(R.id.set_up_form, !ready.isEnrolled || isLost)
        show(R.id.sign_in, ready.isEnrolled)
        show(R.id.pay, ready.isEnrolled)
    }

    /** Shows what the app says, and the button for a step that leads to the settings. */
    fun showText() {
        view<TextView>(R.id.text).text = app.text
        val step = app.failure?.recovery?.step
        show(R.id.settings, step == Recovery.Step.OPEN_SETTINGS || step == Recovery.Step.SET_PASSCODE)
    }

    fun showPin() {
        val question = app.pinScreen.question
        show(R.id.pin_form, question != null)
        view<EditText>(R.id.pin).text.clear()
        view<TextView>(R.id.pin_reason).text = question?.reason ?: getString(R.string.choose_pin)
        view<TextView>(R.id.pin_cancel).text = question?.cancelButton ?: getString(R.string.cancel)
    }

    private fun answerPin() {
        val typed = view<EditText>(R.id.pin).text
        if (typed.length in 6..32) {
            app.pinScreen.question?.answer(CharArray(typed.length) { typed[it] })
        } else {
            app.say(getString(R.string.pin_length))
        }
    }

    /** The rung as a person calls it. */
    private fun name(rung: Rung): String = getString(
        when (rung) {
            Rung.BIOMETRIC -> R.string.by_sensor
            Rung.DEVICE_PASSCODE -> R.string.by_screen_lock
            Rung.APP_PIN -> R.string.by_pin
            Rung.FULL_CREDENTIALS -> R.string.by_password
        },
    )

    private fun show(id: Int, isShown: Boolean) {
        view<View>(id).visibility = if (isShown) View.VISIBLE else View.GONE
    }

    private fun <T : View> view(id: Int): T = findViewById(id)
}
