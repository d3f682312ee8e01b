package com.example.bridge

import com.thumbturn.fake.FakeAndroid
import com.thumbturn.internal.JvmPhone
import io.flutter.embedding.engine.plugins.FlutterPlugin
import io.flutter.plugin.common.BinaryMessenger
import io.flutter.plugin.common.MethodCall
import io.flutter.plugin.common.MethodChannel
import kotlin.coroutines.CoroutineContext
import kotlin.system.exitProcess
import kotlinx.coroutines.InternalCoroutinesApi
import kotlinx.coroutines.MainCoroutineDispatcher
import kotlinx.coroutines.Runnable
import kotlinx.coroutines.internal.MainDispatcherFactory

// The bridge for Flutter on a fake phone without the native library.

/** The fake phone's main thread, as kotlinx-coroutines-android has the real one; META-INF/services names it. */
@OptIn(InternalCoroutinesApi::class)
internal class FakeMainFactory : MainDispatcherFactory {
    override val loadPriority = 0
    override fun createDispatcher(allFactories: List<MainDispatcherFactory>): MainCoroutineDispatcher = FakeMainDispatcher
}

internal object FakeMainDispatcher : MainCoroutineDispatcher() {
    override val immediate get() = this
    override fun dispatch(context: CoroutineContext, block: Runnable) = FakeAndroid.now().main.post(block)
}

/** What a call was answered with. */
private class Answers : MethodChannel.Result {
    val all = mutableListOf<String>()
    override fun success(result: Any?) { all += "success $result" }
    override fun error(errorCode: String, errorMessage: String?, errorDetails: Any?) { all += "$errorCode $errorDetails" }
    override fun notImplemented() { all += "not implemented" }
}

private fun answer(plugin: ThumbturnPlugin, name: String): String {
    val answers = Answers()
    FakeAndroid.now().main.run { plugin.onMethodCall(MethodCall(name, "{}"), answers) }
    FakeAndroid.now().main.settle()
    return answers.all.single()
}

private fun same(expected: String, found: String) = check(expected == found) { "expected $expected, found $found" }

private object Binding : FlutterPlugin.FlutterPluginBinding() {
    override fun getApplicationContext() = FakeAndroid.now().application
    override fun getBinaryMessenger() = object : BinaryMessenger {}
}

fun main() {
    JvmPhone.start(36)
    val android = FakeAndroid.now()
    val plugin = ThumbturnPlugin()
    android.main.run { plugin.onAttachedToEngine(Binding) }
    // The library cannot be loaded: the app starts, and each call is told so.
    repeat(2) { same("platform {step=report, status=java.lang.UnsatisfiedLinkError}", answer(plugin, "readiness")) }
    same("arguments {}", answer(plugin, "no such call"))
    android.main.run { plugin.onDetachedFromEngine(Binding) }
    same("cancelledByApp {}", answer(plugin, "readiness"))
    check(android.main.crash == null) { "the main thread threw ${android.main.crash}" }
    println("android: the bridge for Flutter answers without the native library")
    exitProcess(0)
}
