package lab

import "time"

// write sends what there is, all of it when it is the last. What takes longer than one write is left to a goroutine, so
// that reading goes on.
func (d *desk) write(last bool) {
	if last {
		d.dropAll()
		d.conn.SetWriteDeadline(time.Now().Add(lingering))
	}
	for last && d.writing && !d.over {
		d.drained.Wait()
	}
	if d.writing || d.over {
		return
	}
	d.writing = true
	for d.batch() && last {
	}
	if d.more() && !d.over {
		d.s.run(d.pump)
		return
	}
	d.rest()
}

// pump writes until nothing is left to send.
func (d *desk) pump() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.batch() {
	}
	d.rest()
}

// kick has what was added outside the reader sent.
func (d *desk) kick() {
	if d.writing || d.over {
		return
	}
	d.writing = true
	for d.batch() {
	}
	d.rest()
}

// more gathers what can be sent and reports whether there is anything.
func (d *desk) more() bool {
	d.produce()
	d.out = d.r.Flush(d.out)
	return len(d.out) > 0
}

// batch sends what there is with one write. The lock is free meanwhile.
func (d *desk) batch() bool {
	if d.over || !d.more() {
		return false
	}
	p := d.out
	d.out, d.spare = d.spare[:0], nil
	d.mu.Unlock()
	_, err := d.conn.Write(p)
	d.mu.Lock()
	if cap(p) <= keepBuffer {
		d.spare = p[:0]
	}
	if err != nil {
		d.over = true
		d.conn.Close()
	}
	d.drained.Broadcast()
	return true
}

// rest is the end of writing for now.
func (d *desk) rest() {
	d.writing = false
	d.drained.Broadcast()
}

// hangUp ends our side alone. The reader goes on until the peer has ended too.
func (d *desk) hangUp() {
	d.over = true
	if half, ok := d.conn.(interface{ CloseWrite() error }); !ok || half.CloseWrite() != nil {
		d.conn.Close()
	}
	d.conn.SetReadDeadline(time.Now().Add(lingering))
}

// linger ends the connection after its last answers.
func (d *desk) linger(buf []byte) {
	d.mu.Lock()
	if !d.over {
		d.hangUp()
	}
	d.mu.Unlock()
	for {
		if _, err := d.conn.Read(buf); err != nil {
			return
		}
	}
}

// close lets go of all calls.
func (d *desk) close() {
	d.mu.Lock()
	d.over = true
	d.drained.Broadcast()
	d.dropAll()
	d.mu.Unlock()
	d.cancel()
	d.conn.Close()
}
