import torch


def train_with_accumulation(model, data, lr, epochs, accumulation_steps, max_norm):
    history = []
    for epoch in range(epochs):
        buffer = []
        for index in range(len(data)):
            buffer.append(data[index])
            last = index == len(data) - 1
            if len(buffer) < accumulation_steps and not last:
                continue
            model.zero_grad()
            count = sum([x.size(0) for x, y in buffer])
            total = 0
            for x, y in buffer:
                log_probs = torch.log_softmax(model(x), dim=1)
                nll = 0
                for row in range(x.size(0)):
                    nll = nll - log_probs[row, y[row]]
                (nll / count).backward()
                total += nll.item()
            squares = 0.0
            for p in model.parameters():
                squares += p.grad.pow(2).sum().item()
            norm = squares**0.5
            for p in model.parameters():
                g = p.grad
                if max_norm is not None and norm > max_norm:
                    g = g * (max_norm / norm)
                p.data = p.data - lr * g
            history.append(total / count)
            buffer = []
    return history
